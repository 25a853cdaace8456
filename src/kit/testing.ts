/** For the tests of a server: a client in the same process. A name added here is public. */
export { createTestClient, type CallOptions, type TestClient, type TestClientOptions } from './test-client.ts';
