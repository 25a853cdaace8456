import type { RestoredSession } from '../../serve/fronts/http/endpoint.ts';
import { isLogLevel, LOG_LEVELS } from '../../serve/log-levels.ts';
import { notificationText, requestText } from '../../wire/messages.ts';
import type { Exchange } from '../../wire/rpc/exchange.ts';
import type { Client } from '../client/client.ts';

/**
 * Brings a client to the state that it had in an earlier process, by repeating what the client sent there. The client
 * gets no responses, and one warning: its servers were restarted too.
 */
export function restoreSession(client: Client, { initializeParams, logLevel, subscriptions }: RestoredSession): void {
  const send = (text: string) => client.receive([Buffer.from(text)], NOWHERE);
  send(requestText(OWN_ID, 'initialize', initializeParams));
  send(notificationText('notifications/initialized', undefined));
  if (logLevel !== undefined) send(requestText(OWN_ID, 'logging/setLevel', { level: logLevel }));
  for (const uri of subscriptions) send(requestText(OWN_ID, 'resources/subscribe', { uri }));
  if (isLogLevel(logLevel) && LOG_LEVELS.indexOf(logLevel) > LOG_LEVELS.indexOf('warning')) return;
  const data = 'The gateway was restarted. What its servers kept in memory for this session is lost.';
  client.notify('notifications/message', { level: 'warning', logger: 'switchboard', data });
}

/** These requests have no exchange with the client, so their id need not be unique. */
const OWN_ID = 'switchboard';

const NOWHERE: Exchange = { send() {}, respond() {} };
