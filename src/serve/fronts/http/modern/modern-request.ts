import { lastMember } from '../../../../wire/json/scan.ts';
import { isObject, type JsonObject } from '../../../../wire/messages.ts';
import type { RequestParts } from '../../../../wire/relay/read-common-request.ts';
import { metaOf } from '../../../context.ts';
import { Envelope, type Envelopes } from './envelopes.ts';

/** A request of a modern client, as far as the front needs it. */
export interface ModernRequest {
  /** The id as JSON text. */
  readonly idText: string;
  readonly method: string;
  readonly envelope: Envelope;
  /** Returns a member of the params. */
  readonly param: (name: string) => unknown;
  /** Set for a request in the common form, whose params are not decoded. */
  readonly parts?: RequestParts;
}

/** Decodes only what the front needs of a request. */
export function decodeParts(parts: RequestParts, envelopes: Envelopes): ModernRequest {
  const { idText, method, params, textOf } = parts;
  const meta = lastMember(params, '_meta');
  return {
    idText,
    method,
    envelope: envelopes.parse(meta === undefined ? '{}' : textOf(meta)),
    param(name) {
      const member = lastMember(params, name);
      return member && JSON.parse(textOf(member));
    },
    parts,
  };
}

/** Describes a request that was parsed because it is not in the common form. */
export function toModernRequest(idText: string, method: string, params: unknown): ModernRequest {
  const members: JsonObject = isObject(params) ? params : {};
  const param = (name: string) => (Object.hasOwn(members, name) ? members[name] : undefined);
  return { idText, method, envelope: new Envelope(metaOf(params)), param };
}
