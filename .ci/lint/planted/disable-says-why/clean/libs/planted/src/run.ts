// eslint-disable-next-line holdfast/no-default-export -- the planted twin shows that a reason is accepted
export default 1;
