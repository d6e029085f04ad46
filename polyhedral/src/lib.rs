//! Exact integer sets and relations, dependences, schedule trees and AST generation.
