/** The version of this package; a test compares it with package.json, which is not read at run time. */
export const VERSION = '0.1.0';

/** How Switchboard introduces itself, to servers as well as to clients. */
export const SWITCHBOARD_INFO = { name: 'switchboard', title: 'Switchboard', version: VERSION } as const;
