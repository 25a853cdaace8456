/** The version of this package; a test compares it with package.json, which is not read at run time. */
export const VERSION = '0.1.0';
