import { useEffect, useState } from 'react';

/** A value once it has stopped changing: results of a request per keystroke would only be thrown away. */
export function useSettled<Value>(value: Value, milliseconds = 350): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), milliseconds);
    return () => clearTimeout(timer);
  }, [value, milliseconds]);
  return settled;
}
