import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface ServerWithSignIn extends AsyncDisposable {
  readonly origin: string;
  /** The number of requests other than those for sign-in metadata. */
  requests(): number;
}

/** A server that rejects requests without a token and names its sign-in metadata. */
export async function openSignInServer(): Promise<ServerWithSignIn> {
  let requests = 0;
  const server = createServer((request, response) => {
    const { origin } = address();
    const send = (document: unknown) =>
      response.setHeader('content-type', 'application/json').end(JSON.stringify(document));
    if (request.url?.startsWith('/.well-known/oauth-protected-resource'))
      return send({ resource: `${origin}/mcp`, authorization_servers: [origin] });
    if (request.url?.startsWith('/.well-known/'))
      return send({
        ...{ issuer: origin, authorization_endpoint: `${origin}/authorize`, token_endpoint: `${origin}/token` },
        ...{ response_types_supported: ['code'], code_challenge_methods_supported: ['S256'] },
      });
    requests++;
    const challenge = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
    return response.writeHead(401, { 'www-authenticate': challenge }).end();
  });
  const address = () => ({ origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    ...address(),
    requests: () => requests,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}
