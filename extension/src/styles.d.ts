/** The build puts the text of a style sheet in. */
declare module "*.css" {
  const text: string;
  export default text;
}
