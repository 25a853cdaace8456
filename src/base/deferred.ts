/** A promise together with the functions that settle it. */
export interface Deferred<Value> {
  readonly promise: Promise<Value>;
  resolve(this: void, value: Value): void;
  reject(this: void, error: Error): void;
}

/** Does the same as `Promise.withResolvers`, which Node 20 does not have. */
export function createDeferred<Value = void>(): Deferred<Value> {
  let resolve: (value: Value) => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<Value>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  return { promise, resolve, reject };
}
