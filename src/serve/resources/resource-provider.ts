import { AppError } from '../../base/errors.ts';
import { isObject } from '../../wire/messages.ts';
import type { Resource, ResourceContents, ResourceTemplate } from '../protocol.ts';

/** What a server lets its clients read. It may be asked by any number of clients at once. */
export interface ResourceProvider {
  list(): readonly Resource[] | Promise<readonly Resource[]>;
  readonly templates: readonly ResourceTemplate[];
  /** Throws `RESOURCE_NOT_FOUND` for what it does not have. */
  read(uri: string): ResourceContents | Promise<ResourceContents>;
  /** Calls back when one has changed (`uri`) or the list has (`undefined`); the returned function ends that. */
  onChange(listener: (uri: string | undefined) => void): () => void;
}

/** What types would catch, for those who write JavaScript. */
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
