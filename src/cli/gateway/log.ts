import { oneLine } from '../../base/text/safe-text.ts';
import type { GatewayLog } from '../../gateway/gateway.ts';
import type { GatewaySettings } from '../../gateway/settings.ts';
import { isObject, type JsonRpcMessage, toJson } from '../../wire/messages.ts';
import type { Output } from '../output.ts';

/** Logs to stderr: warnings always, details with `DEBUG=1`. */
export function createGatewayLog(
  output: Output,
  { isDebug }: GatewaySettings,
  redact: (text: string) => string,
): GatewayLog {
  const log = (text: string) => output.report(`[switchboard] ${oneLine(redact(text), MAX_LINE_LENGTH)}`);
  if (!isDebug) return { warn: log, debug: () => {}, notification: () => {} };
  return {
    warn: log,
    debug: log,
    notification: (upstream, message) => output.report(redact(describeNotification(message, upstream.id))),
  };
}

const MAX_LINE_LENGTH = 2000;
const MAX_LENGTH = 200;

/** Formats a notification on one line, as `[mcp <method>] …`; for a `codex/event`, its type and main content. */
export function describeNotification({ method, params }: JsonRpcMessage, serverId?: string): string {
  const event = method === 'codex/event' && isObject(params) ? params['msg'] : undefined;
  const text = isObject(event) ? describeEvent(event) : (toJson(params) ?? '');
  const from = serverId === undefined ? '' : `${oneLine(serverId, MAX_LENGTH)}: `;
  return `[mcp ${oneLine(String(method), MAX_LENGTH)}] ${from}${oneLine(text, MAX_LENGTH)}`.trimEnd();
}

/** The fields with the main content of a Codex event, most specific first. */
const MAIN_FIELDS = ['message', 'text', 'delta', 'last_agent_message', 'command', 'reason', 'error', 'item', 'model'];

function describeEvent(event: Readonly<Record<string, unknown>>): string {
  const field = MAIN_FIELDS.find((name) => event[name] !== undefined && event[name] !== null);
  const value = field === undefined ? undefined : event[field];
  const formatted = typeof value === 'string' ? value : toJson(value);
  return [String(event['type'] ?? 'unknown'), formatted].filter((part) => part !== undefined).join(': ');
}
