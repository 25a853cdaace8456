import { AppError } from '../../base/errors.ts';
import { CAPABILITIES_KEY, VERSION_KEY } from '../../wire/envelope-keys.ts';
import { isObject } from '../../wire/messages.ts';
import { MODERN_VERSION } from '../../wire/protocol-versions.ts';
import { metaOf } from '../context.ts';

/** Returns whether a request has an envelope of this revision, valid or not. */
export function carriesEnvelope(params: unknown): boolean {
  const meta = metaOf(params);
  return meta[VERSION_KEY] !== undefined || meta[CAPABILITIES_KEY] !== undefined;
}

export function checkEnvelope(params: unknown): void {
  const meta = metaOf(params);
  const requested = meta[VERSION_KEY];
  if (typeof requested !== 'string')
    throw new AppError('INVALID_PARAMS', `params._meta["${VERSION_KEY}"] is required on every request.`);
  if (requested !== MODERN_VERSION) {
    const data = { supported: [MODERN_VERSION], requested };
    throw new AppError('UNSUPPORTED_VERSION', `Protocol version ${requested} is not supported here.`, { data });
  }
  if (!isObject(meta[CAPABILITIES_KEY]))
    throw new AppError('INVALID_PARAMS', `params._meta["${CAPABILITIES_KEY}"] is required on every request.`);
}
