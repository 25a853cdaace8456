/** What a token permits: to use servers, to read the status only, or everything. */
export type Role = 'use' | 'read' | 'admin';

/** Who sends a request, according to its token. */
export interface Principal {
  readonly tokenId: string;
  readonly name: string;
  readonly role: Role;
  /** The only view that the token may use. Undefined permits all. */
  readonly view: string | undefined;
  /** Whether requests may name the folder in which servers run. */
  readonly mayNameFolders: boolean;
}

/** Decides who sends a request. */
export interface Access {
  /** Returns the principal, or undefined if the credentials are missing or invalid. Called for every request. */
  authenticate(authorization: string | undefined): Principal | undefined;
  /** Calls back when a token is revoked or has expired. Returns a function that stops this. */
  onRevoked(callback: (tokenId: string) => void): () => void;
}
