// The entities of this package, generated from the schemas beside this file.
