//! Language models over HTTP, behind the library's one seam for them.
