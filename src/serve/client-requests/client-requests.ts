/**
 * The requests that handlers send to their client. Loaded at the first one. All are in one module, so that requests of
 * the same turn are sent together, whichever is the first of its kind.
 */
export { elicit } from './elicitation.ts';
export { listRoots } from './roots.ts';
export { sample } from './sampling.ts';
