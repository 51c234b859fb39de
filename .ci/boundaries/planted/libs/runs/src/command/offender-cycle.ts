import './offender-cycle-back.js';
