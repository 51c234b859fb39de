/* eslint-disable holdfast/no-default-export */ // refused
export default 1;
