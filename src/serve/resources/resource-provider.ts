import { AppError } from '../../base/errors.ts';
import { isObject } from '../../wire/messages.ts';
import type { Resource, ResourceContents, ResourceTemplate } from '../protocol.ts';

/** The resources of a server. Any number of clients may use it concurrently. */
export interface ResourceProvider {
  list(): readonly Resource[] | Promise<readonly Resource[]>;
  readonly templates: readonly ResourceTemplate[];
  /** Reads a resource. Throws `RESOURCE_NOT_FOUND` for an unknown URI. */
  read(uri: string): ResourceContents | Promise<ResourceContents>;
  /**
   * Calls the listener when a resource (`uri`) or the list (`undefined`) has changed. Returns a function that
   * unsubscribes.
   */
  onChange(listener: (uri: string | undefined) => void): () => void;
}

/** Throws for mistakes that the types would catch, for callers in JavaScript. */
export function checkProvider(provider: unknown): void {
  if (provider === undefined) return;
  const given = isObject(provider) ? provider : {};
  const missing = ['list', 'read', 'onChange'].filter((member) => typeof given[member] !== 'function');
  if (!Array.isArray(given['templates'])) missing.push('templates');
  if (missing.length > 0) {
    const needs = 'resources needs the functions list, read and onChange, and the list templates.';
    throw new AppError('USAGE', `${needs} Missing: ${missing.join(', ')}.`);
  }
}
