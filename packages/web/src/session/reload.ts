import { client } from './client.ts';

/** Browsers remember that a module failed to load, so only a reload gets it; but not while the server is still away. */
export async function reload(): Promise<void> {
  try {
    await client.session();
    window.location.reload();
  } catch (error) {
    console.error('The server does not answer.', error);
  }
}
