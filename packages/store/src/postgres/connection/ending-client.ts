import pg from 'pg';

const GOODBYE_MS = 1_000;

/**
 * Closes gracefully, but does not wait for ever for a server that does not answer: closing a store would wait with it.
 */
export class EndingClient extends pg.Client {
  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): Promise<void> | void {
    const impatience = setTimeout(() => this.connection.stream.destroy(), GOODBYE_MS);
    this.once('end', () => clearTimeout(impatience));
    return callback === undefined ? super.end() : super.end(callback);
  }
}
