import type { OutgoingMessage } from '../../../../wire/json/splice.ts';
import type { Post } from '../post-request.ts';

/**
 * Holds posts back until the server has received `notifications/initialized`: on other connections they would overtake
 * it.
 */
export interface InitializedGate {
  /** Holds back a post that comes after the one with the notification. Returns false if the post is to be sent now. */
  holdBack(post: Post): boolean;
  /** Called when a post is done. Reports that of the notification. */
  done(post: Post): void;
  /** Drops the post of a request whose response is no longer needed. */
  forget(id: number): void;
  held(): readonly Post[];
  /** Returns the posts to send now, and holds none after that. */
  open(): readonly Post[];
  close(): void;
}

/** Time after which a server that never responds to the notification counts as initialized. */
const INITIALIZED_TIMEOUT_MS = 5_000;

/** Creates the gate. It calls `initialized` when the server knows that we are ready, possibly twice. */
export function createInitializedGate(initialized: () => void): InitializedGate {
  let notification: Post | undefined;
  let held: Post[] | undefined;
  let timer: NodeJS.Timeout | undefined;
  return {
    holdBack(post) {
      if (held !== undefined) {
        held.push(post);
        return true;
      }
      if (notification !== undefined || post.request !== undefined || !isInitialized(post.message)) return false;
      notification = post;
      held = [];
      timer = setTimeout(initialized, INITIALIZED_TIMEOUT_MS).unref();
      return false;
    },
    done(post) {
      if (post !== notification) return;
      clearTimeout(timer);
      initialized();
    },
    forget(id) {
      held = held?.filter(({ request }) => request?.id !== id);
    },
    held: () => held ?? [],
    open() {
      const posts = held ?? [];
      held = undefined;
      return posts;
    },
    close: () => clearTimeout(timer),
  };
}

/** Only we send this notification, and it is short, so a text search is enough. */
function isInitialized(message: OutgoingMessage): boolean {
  return typeof message === 'string' && message.includes('"notifications/initialized"');
}
