import type { Client } from '../../src/gateway/client/client.ts';
import type { Gateway } from '../../src/gateway/gateway.ts';
import type { Exchange } from '../../src/wire/rpc/exchange.ts';
import { type Message, textOf } from '../gateway/harness.ts';

/** One message of a client and everything that came back for it. */
export interface RecordedExchange extends Exchange {
  /** The messages before the response. */
  readonly sent: readonly Message[];
  /** Resolves with the response; with undefined if there is none. */
  readonly response: Promise<Message | undefined>;
}

/** A client that gives each message its own exchange, as the HTTP front does, without HTTP. */
export class ExchangeClient {
  /** Messages that relate to no exchange. */
  readonly output: Message[] = [];
  readonly client: Client;
  /** Called with every message on an exchange before its response. */
  onMessage: (message: Message) => void = () => {};

  constructor(gateway: Gateway) {
    this.client = gateway.connect((message) => this.output.push(JSON.parse(textOf(message))));
  }

  post(message: Record<string, unknown>): RecordedExchange {
    const sent: Message[] = [];
    let finish: (message: Message | undefined) => void = () => {};
    const response = new Promise<Message | undefined>((resolve) => {
      finish = resolve;
    });
    const exchange: RecordedExchange = {
      sent,
      response,
      send: (related) => {
        const received: Message = JSON.parse(textOf(related));
        sent.push(received);
        this.onMessage(received);
      },
      respond: (answer) => finish(answer === undefined ? undefined : JSON.parse(textOf(answer))),
    };
    this.client.receive([Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }))], exchange);
    return exchange;
  }

  call(id: number, name: string, args: Record<string, unknown> = {}, progressToken?: number): RecordedExchange {
    const meta = progressToken === undefined ? {} : { _meta: { progressToken } };
    return this.post({ id, method: 'tools/call', params: { name, arguments: args, ...meta } });
  }

  async initialize(capabilities: Record<string, unknown> = {}): Promise<void> {
    const clientInfo = { name: 'test', version: '1' };
    const params = { protocolVersion: '2025-11-25', capabilities, clientInfo };
    await this.post({ id: 0, method: 'initialize', params }).response;
    await this.post({ method: 'notifications/initialized' }).response;
    await this.post({ id: 0, method: 'tools/list' }).response;
  }
}
