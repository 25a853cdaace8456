import type { AuthRecord } from '../../src/auth/store/auth-record.ts';
import { authFile } from '../../src/auth/store/auth-store.ts';
import type { Environment } from '../../src/config/files/folders.ts';
import { useTemporaryHomes } from '../temporary-folder.ts';

export const URL_OF_NOTION = 'https://mcp.notion.com/mcp';
/** A sign-in with everything that a record can hold. */
export const record: AuthRecord = {
  accessToken: 'access-1',
  refreshToken: 'refresh-1',
  expiresAt: 1_760_000_000_000,
  tokenType: 'Bearer',
  scope: 'files:read',
  clientId: 'client-1',
  clientSecret: 'secret-1',
  authMethod: 'client_secret_post',
  registration: 'dcr',
  clientScope: 'files:read files:write',
  url: URL_OF_NOTION,
  issuer: 'https://as.example',
  resource: URL_OF_NOTION,
  redirectUri: 'http://127.0.0.1:44273/callback/x',
  discovery: { issuer: 'https://as.example', token_endpoint: 'https://as.example/token' },
  updatedAt: 1_759_996_400_000,
  rejectedAt: 1_759_996_500_000,
  refreshStartedAt: 1_759_996_600_000,
  rest: {},
};
/** The same sign-in as the file holds it. */
export const inFile = {
  access_token: 'access-1',
  refresh_token: 'refresh-1',
  expires_at: 1_760_000_000_000,
  token_type: 'Bearer',
  scope: 'files:read',
  client_id: 'client-1',
  client_secret: 'secret-1',
  url: URL_OF_NOTION,
  issuer: 'https://as.example',
  resource: URL_OF_NOTION,
  redirect_uri: 'http://127.0.0.1:44273/callback/x',
  token_endpoint_auth_method: 'client_secret_post',
  registration: 'dcr',
  client_scope: 'files:read files:write',
  discovery: { issuer: 'https://as.example', token_endpoint: 'https://as.example/token' },
  updated_at: 1_759_996_400_000,
  refused_at: 1_759_996_500_000,
  refresh_started_at: 1_759_996_600_000,
};

/** Returns a function that creates a home without sign-ins. It is removed after the test. */
export function useAuthFiles(): () => { readonly testEnvironment: Environment; readonly file: string } {
  const newHome = useTemporaryHomes();
  return () => {
    const environment = newHome();
    return { testEnvironment: environment, file: authFile(environment) };
  };
}
