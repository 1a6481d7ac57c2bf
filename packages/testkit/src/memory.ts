import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** How many bytes of heap and buffers this process holds; what nobody refers to any more does not count. */
export function memoryInUse(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  // Buffers are swept on another thread, which a busy machine lets wait; the next collection begins after that.
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
