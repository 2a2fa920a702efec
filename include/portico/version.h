/**
 * The version of the library.
 */
#ifndef PORTICO_VERSION_H
#define PORTICO_VERSION_H

#define PT_VERSION "0.1.0"

#endif
