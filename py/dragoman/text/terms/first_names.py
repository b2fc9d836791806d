"""First names, as people of Germany and of English-speaking countries have them.

The commonest of recent decades, and some of other countries that are often in the news; none that
is a common word of either language (`Will`, `Rose`, `Mark`) or as often a place (`Georgia`).
"""

from __future__ import annotations

_NAMES = """
    Aaron Abdul Abdullah Abraham Achim Adam Adolf Adrian Adriana Agnes Ahmed Ahmet Aisha Alan Albert
    Alberto Alejandro Aleksandar Alena Alessandro Alessia Alex Alexander Alexandra Alexandre Alexei
    Alexej Alexis Alfons Alfred Ali Alice Alicia Alina Alison Allison Alma Alois Alwin Amanda Amelia
    Amelie Amina Amy Ana Anastasia Anders Andrea Andreas Andrei Andrej Andrew André Andy Angela
    Angelika Angelina Angus Anika Anita Anja Anke Ann Anna Annalena Anne Annegret Anneliese Annett
    Annette Annika Anthony Anton Antonia Antonio Arben Armin Arne Arnold Arthur Artur Astrid Audrey
    Axel Ayse Barack Barbara Barry Bart Beate Beatrice Beatrix Ben Benedikt Benjamin Bernadette
    Bernard Bernd Bernhard Bert Bertha Berthold Beth Bettina Betty Bianca Birgit Björn Blake Bob
    Bodo Boris Brad Bradley Brandon Brenda Brian Brigitte Britta Brittany Bruce Bruno Burkhard Carl
    Carla Carlo Carlos Carmen Carol Carola Carolin Caroline Carolyn Carsten Catherine Cathy Cecilia
    Chantal Charles Charlie Cheryl Chiara Chris Christa Christel Christian Christiane Christina
    Christine Christoph Christopher Cindy Claire Clara Claudia Claus Clemens Clive Cornelia Craig
    Cristiano Cynthia Dagmar Daisy Damian Daniel Daniela Danielle Danny Daria Dave David Debbie
    Deborah Denis Denise Dennis Derek Detlef Diana Diane Dieter Dietmar Dietrich Dilma Dirk Dmitri
    Dmitrij Dominic Dominik Dominique Donald Donna Doris Dorothea Dorothy Doug Douglas Duncan Dustin
    Dwayne Dylan Eberhard Ebru Eckart Eckhard Eddie Edgar Edith Edmund Eduard Eduardo Edward Edwin
    Egon Eileen Eleanor Elena Elias Elif Elisa Elisabeth Elizabeth Elke Ella Ellen Elliot Elmar Elon
    Elsa Elvira Emil Emilia Emily Emine Emma Emmanuel Enrico Enrique Eric Erich Erik Erika Erin
    Ernst Erwin Esther Ethan Eugen Eugene Eva Evan Evelyn Ewald Fabian Fatima Fatma Felicitas Felix
    Ferdinand Fernando Filip Finn Fiona Florian Frances Francesco Francis Francisco Franz Franziska
    Frauke Fred Freddie Frederic Frederick Frederik Frida Friederike Friedhelm Friedrich Fritz
    Gabriel Gabriela Gabriele Gareth Gary Gavin Geoffrey Georg George Georgios Gerald Gerard Gerd
    Gerda Gerhard Gernot Gert Gertrud Gianni Gina Giorgia Giovanni Gisela Giulia Giuseppe Glenn
    Gloria Gordon Graham Greg Gregor Gregory Greta Gudrun Guido Gunnar Gunter Gunther Gustav Günter
    Günther Hakan Halina Hanna Hannah Hannelore Hannes Hans Harald Harold Harriet Harry Hartmut
    Hasan Hassan Hatice Heather Hedwig Heidi Heike Heiko Heinrich Heinz Helen Helena Helene Helga
    Helmut Hendrik Henning Henri Henrik Henry Herbert Heribert Hermann Hilary Hilde Hildegard
    Hillary Holger Horst Howard Hubert Hugh Hugo Hussein Ian Ibrahim Ida Ignazio Igor Ilja Ilona
    Ilse Imke Ines Inga Inge Ingeborg Ingo Ingrid Irena Irene Irina Iris Irmgard Isaac Isabel
    Isabell Isabella Isabelle Ismail Ivan Ivana Ivo Iwan Jack Jackie Jacob Jacqueline Jacques Jake
    Jakob James Jamie Jan Jana Jane Janet Janice Janina Jannik Jared Jasmin Jasmine Jason Javier
    Jean Jeanette Jeff Jeffrey Jenna Jennifer Jenny Jens Jeremy Jerome Jerry Jesse Jessica Jill Jim
    Jimmy Joachim Joan Joanna Joanne Jochen Joe Joel Johan Johanna Johannes John Johnny Jonas
    Jonathan Jorge Joschka Josef Joseph Josephine Josh Joshua José Joyce Juan Judith Julia Julian
    Juliane Julie Julius Justin Jutta Jörg Jörn Jürgen Kai Karen Karin Karina Karl Karla Karolin
    Karoline Karsten Kaspar Kate Katharina Katherine Kathleen Kathrin Kathryn Kathy Katie Katja
    Katrin Kay Keith Kelly Ken Kenneth Kerstin Kevin Khaled Kilian Kim Kirsten Kirsty Klara Klaus
    Knut Konrad Konstantin Kristen Kristin Kristina Kurt Kyle Lara Larry Lars Laura Lauren Laurence
    Laurie Lea Leah Lena Leo Leon Leona Leonard Leonardo Leonhard Leonie Leopold Lewis Liam Liana
    Lilli Lilly Linda Linus Lionel Lisa Liz Lorenz Lothar Lou Louis Louisa Louise Luc Luca Lucas
    Lucia Lucy Ludger Ludwig Luigi Luis Luisa Luise Luka Lukas Luke Lutz Lydia Lynn Madeleine
    Magdalena Mahmoud Maik Maike Maja Malcolm Malte Mandy Manfred Manuel Manuela Marc Marcel Marcia
    Marco Marcus Margaret Margarete Margarethe Margit Margot Margret Marguerite Maria Marian
    Marianne Marie Marina Mario Marion Marissa Marius Markus Marlene Marlies Martha Martin Martina
    Mary Mateo Mathias Mathilde Matt Matteo Matthew Matthias Maurice Mauricio Max Maximilian Maya
    Megan Mehmet Meike Melanie Melinda Melissa Meredith Mesut Mia Micha Michael Michaela Michail
    Michel Michele Michelle Miguel Mike Mikhail Milan Milena Mira Miriam Mirjam Mitch Mohamed
    Mohammad Mohammed Monica Monika Monique Moritz Muhammad Muhammed Murat Mustafa Myriam Nadia
    Nadine Nadja Nancy Naomi Natalia Natalie Natascha Nathalie Nathan Neil Nele Nelson Nicholas Nick
    Nico Nicola Nicolas Nicole Niels Nigel Nikita Niklas Nikola Nikolai Nikolaus Nils Nina Noah Noel
    Nora Norbert Norman Olaf Oleg Olena Olga Oliver Olivia Olivier Omar Oscar Oskar Osman Oswald
    Otto Owen Pablo Pamela Paola Paolo Pascal Patricia Patrick Paul Paula Pauline Pedro Penelope
    Peter Petra Phil Philip Philipp Philippe Pia Pierre Pietro Piotr Rachel Rafael Rainer Ralf Ralph
    Ramona Randy Raphael Rashid Rebecca Recep Regina Regine Reiner Reinhard Reinhold Renate René
    Ricarda Riccardo Richard Rick Ricky Rita Rob Robert Roberto Robin Rocco Rodrigo Roger Roland
    Rolf Romy Ron Ronald Ronja Ronny Rosemarie Ross Roswitha Roy Ruben Rudi Rudolf Rupert Russell
    Ruth Ryan Rüdiger Sabine Sabrina Sadiq Sahra Sally Salma Sam Samantha Samira Samuel Sandra Sara
    Sarah Sascha Scott Sean Sebastian Selina Serena Sergei Sergej Sergio Seth Severin Shane Shannon
    Sharon Sheila Shirley Sibylle Siegfried Siegmar Sigmar Sigrid Silke Silvana Silvia Simon Simona
    Simone Sina Sofia Sofie Sonja Sophia Sophie Stacey Stanley Stefan Stefanie Steffen Steffi Stella
    Stephan Stephanie Stephen Steve Steven Stuart Susan Susanna Susanne Suzanne Svea Sven Svenja
    Svetlana Swen Sybille Sylvia Sönke Sören Tamara Tanja Tara Tarek Tatjana Taylor Ted Teresa Terry
    Thea Theodor Theresa Therese Thilo Thomas Thorben Thorsten Tiffany Tilman Tilo Tim Timo Timothy
    Tina Tobias Todd Tom Tommy Toni Tony Torsten Tracy Tristan Tyler Udo Ulf Ulla Ulrich Ulrike Umut
    Ursel Ursula Ute Uwe Valentin Valentina Valeria Vanessa Vera Verena Veronica Veronika Victor
    Victoria Viktor Viktoria Vincent Vincenzo Viola Vitali Vivian Vivien Vladimir Volker Volodymyr
    Walter Waltraud Wanda Warren Wayne Wendelin Wendy Werner Wilfried Wilhelm Willi William Willie
    Willy Winfried Wladimir Wolfgang Wolfram Wolodymyr Xaver Xavier Yannick Yasmin Yvette Yvonne Zoe
"""
FIRST_NAMES = frozenset(_NAMES.split())
