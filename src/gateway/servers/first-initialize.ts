/** The `initialize` of the first client. It starts the servers, which receive the capabilities of that client. */
export class FirstInitialize {
  #params: unknown;
  #isReceived = false;

  /** Returns the params, or undefined before the first client is initialized. */
  readonly params = (): unknown => this.#params;

  readonly isReceived = (): boolean => this.#isReceived;

  /** Records the params of a client. Returns true for the first client: the servers must be started then. */
  receive(params: unknown): boolean {
    if (this.#isReceived) return false;
    this.#isReceived = true;
    this.#params = params;
    return true;
  }
}
