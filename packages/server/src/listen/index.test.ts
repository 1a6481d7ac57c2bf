import { expect, it } from 'vitest';
import { addressProblem } from './index.ts';

it.each([
  ['EADDRINUSE', /^PORT: 80 is in use\. Stop the other program, or set PORT/],
  ['EACCES', /^PORT: 80 may not be used by this user\. Set PORT to a number from 1024 on/],
  ['ENOTFOUND', /^HOST: "nowhere" is not a name that this machine knows\. Use 127\.0\.0\.1/],
  ['EAI_AGAIN', /^HOST: "nowhere" is not a name that this machine knows\. Use 127\.0\.0\.1/],
  ['EADDRNOTAVAIL', /^HOST: "nowhere" is not an address of this machine\. Use 127\.0\.0\.1/],
  ['EMFILE', /^HOST: cannot listen on nowhere, port 80: no luck\.$/],
])('SV-24: %s is a sentence that says what to do', (code, sentence) => {
  const error = Object.assign(new Error('no luck'), { code });
  expect(addressProblem({ host: 'nowhere', port: 80 }, error).message).toMatch(sentence);
});
