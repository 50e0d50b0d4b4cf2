//! A tower layer that keeps a client polite to a keyless search provider.
#![cfg_attr(docsrs, feature(doc_cfg))]

