import type { Profile } from './profile.ts';

/** For clients that take JSON Schema as it is. */
export const none: Profile = {
  name: 'none',
  maxNameLength: 64,
  rewrite: (schema) => ({ text: schema, rewrites: [] }),
};
