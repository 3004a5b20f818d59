//! Tests of resolution.
