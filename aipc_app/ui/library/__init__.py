"""The law library: statutes and other texts that any case may rest on."""
