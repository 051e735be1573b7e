// Runs beside a program that is watched, and tells what it imports.

let port;

export function initialize(data) {
  port = data.port;
}

export function load(place, context, next) {
  port.postMessage(place);
  return next(place, context);
}
