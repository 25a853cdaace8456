/** For the tests of a server: a client in the same process. A name added here is public. */
export {
  type CallOptions,
  createTestClient,
  type ElicitAnswer,
  type TestClient,
  type TestClientOptions,
} from './test-client.ts';
