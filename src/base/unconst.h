/**
 * For interfaces of other libraries that take what they do not change as if they would.
 */
#ifndef PT_BASE_UNCONST_H
#define PT_BASE_UNCONST_H

/** The same address, without the promise of the type; the callee must keep it all the same. */
static inline void *pt__unconst(const void *address)
{
    union {
        const void *kept;
        void *given;
    } both = {address};
    return both.given;
}

#endif
