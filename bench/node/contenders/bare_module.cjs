// A module with nothing in it: what Node takes to load any.
'use strict';
