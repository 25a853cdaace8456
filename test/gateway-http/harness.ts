import { afterEach } from 'vitest';
import { createGatewayEndpoints } from '../../src/gateway/http/gateway-endpoints.ts';
import { accessForAnybody } from '../../src/serve/access/no-auth.ts';
import type { HttpLimits } from '../../src/serve/fronts/http/limits.ts';
import { type HttpFront, openHttpFront } from '../../src/serve/fronts/http/open-http-front.ts';
import type { Access } from '../../src/serve/fronts/http/principal.ts';
import type { SessionIds } from '../../src/serve/fronts/http/session-ids.ts';
import {
  type GatewayHarness,
  type GatewayTestOptions,
  gatewayHarness,
  type TestGateway,
  type TestServer,
} from '../gateway/harness.ts';

interface HttpGateway extends TestGateway {
  /** Of the root endpoint. */
  readonly url: string;
  readonly front: HttpFront;
}

interface HttpGatewayOptions extends GatewayTestOptions {
  readonly limits?: Partial<HttpLimits>;
  readonly access?: Access;
  readonly sessionIds?: SessionIds;
}

export interface GatewayHttpHarness extends Pick<GatewayHarness, 'processes'> {
  openGateway(servers: Readonly<Record<string, TestServer>>, options?: HttpGatewayOptions): Promise<HttpGateway>;
}

/** Gateways in this process that listen on loopback. All are closed when their test ends. */
export function gatewayHttpHarness(): GatewayHttpHarness {
  const harness = gatewayHarness();
  const fronts: HttpFront[] = [];
  afterEach(async () => {
    await Promise.all(fronts.splice(0).map((front) => front.close({ drainMs: 0 })));
  });
  return {
    processes: harness.processes,
    async openGateway(servers, { limits = {}, access = accessForAnybody, sessionIds, ...options } = {}) {
      const opened = harness.openGateway(servers, options);
      const front = await openHttpFront({
        listen: { host: '127.0.0.1', port: 0 },
        access,
        limits,
        ...(sessionIds === undefined ? {} : { sessionIds }),
        ...createGatewayEndpoints(opened.gateway),
      });
      fronts.push(front);
      return { ...opened, front, url: `http://127.0.0.1:${front.address.port}/mcp` };
    },
  };
}
