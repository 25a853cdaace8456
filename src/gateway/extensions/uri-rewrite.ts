import { type Frame, frameIncludes } from '../../wire/frame.ts';
import { type OutgoingMessage, outgoingText } from '../../wire/json/splice.ts';
import type { ResponseHooks } from '../routing/forwarded-request.ts';
import type { GatewayView } from '../views/gateway-view.ts';
import { rewriteUris } from './rewrite-uris.ts';

/** Lets the URIs in a result follow the names in the lists of the view. */
export function uriRewrite(view: GatewayView, serverId: string): Pick<ResponseHooks, 'rewrite'> {
  if (!view.hasPrefix) return {};
  return {
    rewrite: ({ frame, withId }, idText) =>
      mayNameResource(frame) ? rewriteMessageUris(withId(idText), serverId) : undefined,
  };
}

export function rewriteMessageUris(message: OutgoingMessage, serverId: string): OutgoingMessage | undefined {
  return rewriteUris(outgoingText(message), serverId);
}

function mayNameResource(frame: Frame): boolean {
  return frameIncludes(frame, 'ui:') || frameIncludes(frame, 'skill:');
}
