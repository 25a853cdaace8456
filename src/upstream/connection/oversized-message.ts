import type { AppError } from '../../base/errors.ts';
import { hasTrailingId, readLeadingId, readTrailingId } from '../../wire/relay/salvage.ts';

export interface OversizedMessageOptions {
  /** Fails the call with this id, if it is pending. */
  failCall(id: number, error: AppError): void;
  /**
   * Looks for a complete response in the last bytes of the message: a server may write one after an unterminated line.
   */
  salvage(ending: Buffer): void;
  endConnection(error: AppError): void;
}

/** Follows one message over the size limit from the moment it is dropped until it ends. */
export interface OversizedMessage {
  begin(error: AppError, beginning: Buffer | undefined): void;
  finish(ending: Buffer): void;
  /** Called when the connection ends. */
  close(): void;
}

/** Time limit for the rest of the message. A message that never ends would swallow all later ones. */
const REST_MS = 10_000;

/**
 * Handles messages over the size limit. A response fails only its own call. If its call cannot be identified, or if the
 * message does not end, the connection ends: otherwise some call would wait until its timeout.
 */
export function createOversizedMessage({
  failCall,
  salvage,
  endConnection,
}: OversizedMessageOptions): OversizedMessage {
  let pending: { readonly error: AppError; readonly isIdAtEnd: boolean } | undefined;
  let timer: NodeJS.Timeout | undefined;

  const close = () => {
    clearTimeout(timer);
    pending = undefined;
  };

  return {
    begin(error, beginning) {
      close();
      const id = beginning && readLeadingId(beginning);
      const isIdAtEnd = beginning !== undefined && hasTrailingId(beginning);
      if (id === undefined && !isIdAtEnd) return endConnection(error);
      pending = { error, isIdAtEnd };
      timer = setTimeout(() => endConnection(error), REST_MS).unref();
      if (id !== undefined) failCall(id, error);
    },
    finish(ending) {
      const ended = pending;
      close();
      if (ended === undefined) return;
      if (!ended.isIdAtEnd) return salvage(ending);
      const id = readTrailingId(ending);
      if (id === undefined) endConnection(ended.error);
      else failCall(id, ended.error);
    },
    close,
  };
}
