"""From a file to pages: one module per format family, each a `base.Converter`."""
