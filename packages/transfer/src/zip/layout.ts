/** The records of a ZIP file (APPNOTE 6.3.10), as far as both sides need them. */
export const LOCAL = 0x04034b50;
export const DESCRIPTOR = 0x08074b50;
export const CENTRAL = 0x02014b50;
export const END = 0x06054b50;
export const END_64 = 0x06064b50;
export const LOCATOR_64 = 0x07064b50;

export const STORED = 0;
export const DEFLATED = 8;

/** Bits of the flags: the content is encrypted, its sizes follow it, its name is UTF-8. */
export const ENCRYPTED = 1;
export const SIZES_FOLLOW = 1 << 3;
export const UTF8 = 1 << 11;

/** A field with this value has its real one in an extension for large files. */
export const FULL_16 = 0xffff;
export const FULL_32 = 0xffffffff;
export const EXTRA_64 = 0x0001;
