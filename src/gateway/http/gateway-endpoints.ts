import { AppError } from '../../base/errors.ts';
import type { ViewSelection } from '../../config/views/select-view.ts';
import type { HttpEndpoint } from '../../serve/fronts/http/endpoint.ts';
import type { Principal } from '../../serve/fronts/http/principal.ts';
import type { AggregateGateway } from '../open/open-aggregate.ts';
import type { Trace } from '../trace/trace.ts';
import { createGatewayEndpoint } from './gateway-endpoint.ts';

/** The endpoints of a gateway by path. */
export interface GatewayEndpoints {
  /** `/mcp`: everything that the token may see. */
  readonly endpoints: ReadonlyMap<string, HttpEndpoint>;
  /** Finds `/mcp/<server>` and `/mcp/@<view>`. Returns an error if the token may not use what it finds. */
  resolve(path: string, principal: Principal): HttpEndpoint | AppError | undefined;
}

const ROOT = '/mcp';

export function createGatewayEndpoints(gateway: AggregateGateway, trace?: Trace): GatewayEndpoints {
  const opened = new Map<string, HttpEndpoint>();

  const open = (selection: ViewSelection) =>
    createGatewayEndpoint({
      gateway,
      trace,
      findTool: gateway.findTool,
      connect: (send, { view = selection.view }) =>
        gateway.connect(send, gateway.openViewAnyway({ ...selection, view })),
    });

  const find = (selection: ViewSelection): HttpEndpoint => {
    const key = JSON.stringify([selection.view, selection.server]);
    const endpoint = opened.get(key) ?? open(selection);
    opened.set(key, endpoint);
    return endpoint;
  };

  return {
    endpoints: new Map([[ROOT, open({})]]),
    resolve(path, principal) {
      const name = path.startsWith(`${ROOT}/`) ? decode(path.slice(ROOT.length + 1)) : undefined;
      if (name === undefined) return undefined;
      if (name.startsWith('@')) {
        const view = name.slice(1);
        if (principal.view !== undefined && principal.view !== view) return otherView(principal.view);
        return gateway.hasView(view) ? find({ view }) : undefined;
      }
      if (principal.view !== undefined && !gateway.openViewAnyway({ view: principal.view }).showsServer(name))
        return otherView(principal.view);
      return gateway.hasServer(name) ? find({ server: name }) : undefined;
    },
  };
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not a valid encoding, so no name.
    return undefined;
  }
}

/** Does not tell whether the server or the other view exists. */
function otherView(view: string): AppError {
  return new AppError('NOT_IN_VIEW', `This token may use only the view ${JSON.stringify(view)}.`);
}
