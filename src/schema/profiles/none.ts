import type { Profile } from './profile.ts';

/** The profile for clients that accept JSON Schema as it is. */
export const none: Profile = {
  name: 'none',
  maxNameLength: 64,
  rewrite: (schema) => ({ text: schema, rewrites: [] }),
};
