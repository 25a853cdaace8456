// @ts-check
import { once } from 'node:events';
import { createServer } from 'node:http';

/** Starts an HTTP server that rejects every request with a sign-in challenge. Returns its URL, and closes it with the home. @param {import('./home.mjs').Home} home */
export async function openSignInServer({ onClose }) {
  const server = createServer(wantSignIn).listen(0, '127.0.0.1');
  onClose(() => void server.close());
  await once(server, 'listening');
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/mcp`;
}

/** @type {import('node:http').RequestListener} */
function wantSignIn({ url = '', headers: { host } }, response) {
  const issuer = `http://${host}`;
  if (!url.startsWith('/.well-known/')) {
    const place = `${issuer}/.well-known/oauth-protected-resource`;
    return void response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${place}"` }).end();
  }
  const document = {
    ...{ resource: `${issuer}/mcp`, authorization_servers: [issuer], issuer },
    ...{ authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` },
    ...{ response_types_supported: ['code'], code_challenge_methods_supported: ['S256'] },
  };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
}
