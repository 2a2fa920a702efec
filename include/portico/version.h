/**
 * The version of the library: major.minor.patch. Before 1.0 a new minor version may change what these headers declare.
 */
#ifndef PORTICO_VERSION_H
#define PORTICO_VERSION_H

#define PT_VERSION "0.1.0"

#endif
