/** For tests of a server: a client in the same process. Every export here is public API. */
export {
  type CallOptions,
  createTestClient,
  type ElicitAnswer,
  type SampleAnswer,
  type SampleParams,
  type TestClient,
  type TestClientOptions,
} from './test-client.ts';
