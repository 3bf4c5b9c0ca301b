// Placeholder while the module is built.
