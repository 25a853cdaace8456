/** Keys in `_meta` with which a modern request carries what `initialize` fixes in the legacy era. */
export const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
export const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';
export const CLIENT_INFO_KEY = 'io.modelcontextprotocol/clientInfo';
export const LOG_LEVEL_KEY = 'io.modelcontextprotocol/logLevel';
/** Key in the `_meta` of a modern result. */
export const SERVER_INFO_KEY = 'io.modelcontextprotocol/serverInfo';
/** Key in the `_meta` of a notification: the id of the `subscriptions/listen` request that it belongs to. */
export const SUBSCRIPTION_KEY = 'io.modelcontextprotocol/subscriptionId';
