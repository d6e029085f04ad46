// The sizes of a kernel are its first arguments, or constants that -DCONSTANT -Dn=... name on the command line.
#ifdef CONSTANT
#define SIZES(...)
#else
#define SIZES(...) __VA_ARGS__,
#endif
