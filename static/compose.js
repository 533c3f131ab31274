// The page on which a package is prepared.
