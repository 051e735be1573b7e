// The request states that a server sent, and the `$STATE` that stands for them.

export class States {
  #seen = [];

  /** Remembers the state in a message of the server, if it has one in its result. */
  note(line) {
    const { id = null, result } = JSON.parse(line);
    if (typeof result?.requestState === 'string') this.#seen.push({ id: JSON.stringify(id), state: result.requestState });
  }

  /** The line with every `$STATE` replaced by what it stands for. */
  filledIn(line) {
    return line.replace(/\$STATE(?:\[([^\]]*)\])?(!?)/g, (_, id, mark) => {
      const { state } = this.#seen.filter((own) => id === undefined || own.id === id).at(-1);
      return mark === '!' ? changed(state) : state;
    });
  }
}

/** The state with the character in its middle replaced: by `A`, or by `B` if it is that. */
function changed(state) {
  const middle = Math.floor(state.length / 2);
  return `${state.slice(0, middle)}${state[middle] === 'A' ? 'B' : 'A'}${state.slice(middle + 1)}`;
}
