"""From a checkout that is set up to packages for PCs without a network: standard library and build tools only."""
