/** SHA-256, as manifests write it. */
export async function sha256(
  content: BufferSource,
  subtle: Pick<SubtleCrypto, "digest"> = crypto.subtle,
): Promise<string> {
  const digest = new Uint8Array(await subtle.digest("SHA-256", content));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
