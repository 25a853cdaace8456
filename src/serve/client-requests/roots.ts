import { AppError } from '../../base/errors.ts';
import { isObject } from '../../wire/messages.ts';
import { capabilityMissing } from '../client-capabilities.ts';
import type { CallLink } from '../context.ts';
import type { InputRequestOptions } from '../eras/input-request.ts';

/** A folder or file that the client works in. */
export interface Root {
  /** A `file:` URL. */
  readonly uri: string;
  readonly name?: string;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

export async function listRoots(link: CallLink, options?: InputRequestOptions): Promise<readonly Root[]> {
  if (!isObject(link.capabilities) || !isObject(link.capabilities['roots']))
    throw capabilityMissing('The tool needs the folders of the client, but the client did not declare roots.', {
      roots: {},
    });
  const answer = await link.requestClient('roots/list', {}, options);
  const roots = isObject(answer) ? answer['roots'] : undefined;
  if (!Array.isArray(roots) || !roots.every(isRoot))
    throw new AppError('BAD_ANSWER', 'The client answered roots/list without a list of roots.');
  return roots;
}

function isRoot(value: unknown): value is Root {
  return isObject(value) && typeof value['uri'] === 'string';
}
